import { Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isSuperAdmin } from '../../../../../src/domain/roles.ts';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { testMail } from '../calls.ts';
import { useSettings } from '../sections/settings-store.ts';

export function TestMail() {
  const { t } = useTranslation();
  const { role } = useSettings();
  const [email, setEmail] = useState('');
  const send = useAction(() => testMail.test({ email: email.trim() }), {
    done: () => t('setting.mail.sent', { email: email.trim() }),
  });
  if (!isSuperAdmin(role)) return null;
  return (
    <Group align="flex-end" mt="lg">
      <TextInput
        label={t('setting.mail.to')}
        description={t('setting.mail.hint')}
        type="email"
        autoComplete="email"
        w={280}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <SideButton
        disabled={!/^\S+@\S+$/.test(email.trim())}
        loading={send.isPending}
        label={t('setting.mail.send')}
        onClick={() => send.mutate(undefined)}
      />
    </Group>
  );
}
