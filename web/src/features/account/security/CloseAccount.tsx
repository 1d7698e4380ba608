import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { say } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { endSession } from '../../../lib/session/session.ts';
import { account } from '../calls.ts';
import classes from './CloseAccount.module.css';

/** Closes the account; the user must type a confirmation. */
export function CloseAccount({ username }: { readonly username: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const [typed, setTyped] = useState('');
  const close = useAction(() => account.closeSelf({}), {
    onDone: async () => {
      endSession();
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' });
      say.success(t('account.close.done'));
      await navigate('/login', { replace: true });
    },
  });
  return (
    <Stack
      component="section"
      gap="sm"
      className={classes.zone}
      aria-label={t('account.close.title')}
    >
      <div>
        <Title order={2} fz={14} c="var(--tone-red-text)">
          {t('account.close.title')}
        </Title>
        <Text size="sm">{t('account.close.hint')}</Text>
      </div>
      <Group gap="xs" align="flex-end">
        <TextInput
          flex="1 1 200px"
          label={t('account.close.type', { name: username })}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button
          color="danger"
          disabled={typed !== username}
          loading={close.isPending}
          onClick={() => close.mutate(undefined)}
        >
          {t('account.close.verb')}
        </Button>
      </Group>
    </Stack>
  );
}
