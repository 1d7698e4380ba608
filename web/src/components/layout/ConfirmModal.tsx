import { Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DialogFooter } from './DialogFooter.tsx';
import { OpenModal } from './OpenModal.tsx';

/** The confirmation dialog. Focus starts on Cancel. */
export function ConfirmModal({ title, ...pending }: PendingConfirmation) {
  return (
    <OpenModal onClose={() => pending.answer(false)} title={title} size={460} zIndex={400}>
      <Question {...pending} />
    </OpenModal>
  );
}

function Question({
  text,
  verb,
  isDanger = false,
  typed,
  answer,
}: Omit<PendingConfirmation, 'title'>) {
  const { t } = useTranslation();
  const [written, setWritten] = useState('');
  const isReady = typed === undefined || written.trim() === typed;
  return (
    <Stack gap="md">
      {text !== undefined && (
        <Text component="div" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      )}
      {typed !== undefined && (
        <TextInput
          label={t('part.confirm.type', { text: typed })}
          value={written}
          autoComplete="off"
          onChange={(event) => setWritten(event.currentTarget.value)}
        />
      )}
      <DialogFooter
        isCautious
        onClose={() => answer(false)}
        verb={verb}
        color={isDanger ? 'danger' : 'iris'}
        disabled={!isReady}
        onClick={() => answer(true)}
      />
    </Stack>
  );
}

export interface Confirmation {
  /** Names the object: "Delete channel openai-main?" */
  readonly title: string;
  /** The consequence. */
  readonly text?: ReactNode;
  /** The verb and object on the button: "Delete 3 channels". */
  readonly verb: string;
  readonly isDanger?: boolean;
  /** Text to type before the button is enabled: for irreversible actions on many records. */
  readonly typed?: string;
}

interface PendingConfirmation extends Confirmation {
  readonly answer: (isSure: boolean) => void;
}
