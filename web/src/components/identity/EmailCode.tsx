import { Group, TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { useCodeWait } from '../../hooks/useCodeWait.ts';
import { client } from '../../lib/api/api.ts';
import { SideButton } from '../display/SideButton.tsx';
import { toast } from '../layout/toasts.tsx';
import type { Captcha } from './Captcha.tsx';

const account = client({ sendCode: accountCalls.sendCode });

interface EmailCodeProps extends TextInputProps {
  /** The recipient of the code. */
  readonly email: string;
  readonly captcha: Captcha;
}

/** The input for an emailed code and the button that sends it, at most every 30 s. */
export function EmailCode({ email, captcha, ...input }: EmailCodeProps) {
  const { t } = useTranslation();
  const { seconds, start } = useCodeWait();
  const [isSending, setSending] = useState(false);
  const send = async () => {
    if (!captcha.isReady()) return;
    setSending(true);
    try {
      await account.sendCode({ email: email.trim() }, captcha.options);
      start();
      toast.success(t('part.code.sent'));
    } catch (error) {
      toast.failure(error);
    } finally {
      captcha.renew();
      setSending(false);
    }
  };
  return (
    <Group align="flex-start" wrap="nowrap">
      <TextInput
        flex={1}
        label={t('part.code.label')}
        description={t('part.code.hint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autoComplete="one-time-code"
        inputMode="text"
        {...input}
      />
      <SideButton
        flex="none"
        miw={116}
        mt={21}
        disabled={seconds > 0 || email.trim() === ''}
        loading={isSending}
        label={seconds > 0 ? t('part.code.resendIn', { seconds }) : t('part.code.send')}
        onClick={() => void send()}
      />
    </Group>
  );
}
