import { Button, Image, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { useStatus } from '../../lib/site/status.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { SideButton } from '../display/SideButton.tsx';
import { Form, ProblemNotice } from '../forms/Form.tsx';

const VALID_SEC = 180;

interface WechatCodeDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly submitLabel: string;
  /** Submits the code; rejects with the server's error. */
  readonly onCode: (code: string) => Promise<unknown>;
}

/** Scan the QR code, ask the account for a code and enter it here within three minutes. */
export function WechatCodeDialog(props: WechatCodeDialogProps) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title}>
      <Content {...props} />
    </Modal>
  );
}

function Content({ submitLabel, onCode }: WechatCodeDialogProps) {
  const { t } = useTranslation();
  const image = useStatus()?.wechat_qrcode ?? '';
  const [round, setRound] = useState(0);
  const left = useSecondsLeft(round);
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (code) => (code.trim() === '' ? t('part.code.needed') : null) },
  });
  const submission = useSubmit(form, ({ code }) => onCode(code.trim()));
  return (
    <Form onSubmit={submission.submit}>
      <Stack gap="sm" align="center">
        {image !== '' && (
          <Image src={image} w={200} h={200} fit="contain" alt={t('part.wechat.image')} />
        )}
        <Dimmed size="sm" ta="center">
          {t('part.wechat.hint')}
        </Dimmed>
        <Text aria-live="off">
          {left > 0 ? t('part.wechat.valid', { time: clock(left) }) : t('part.wechat.over')}
        </Text>
        {left === 0 && (
          <SideButton size="xs" label={t('action.refresh')} onClick={() => setRound(round + 1)} />
        )}
        <ProblemNotice problem={submission.problem} />
        <TextInput
          w="100%"
          label={t('part.code.label')}
          autoComplete="one-time-code"
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Button type="submit" fullWidth loading={submission.isBusy}>
          {submitLabel}
        </Button>
      </Stack>
    </Form>
  );
}

function useSecondsLeft(round: number): number {
  const [left, setLeft] = useState(VALID_SEC);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round restarts the timer
  useEffect(() => {
    const endsMs = Date.now() + VALID_SEC * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((endsMs - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [round]);
  return left;
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
