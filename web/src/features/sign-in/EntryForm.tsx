import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Captcha } from '../../parts/Captcha.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { problemText } from '../../parts/problem.ts';
import type { Submission } from '../../parts/useSubmit.ts';

interface EntryFormProps {
  readonly captcha: Captcha;
  readonly submission: Submission;
  /** What the button says. */
  readonly label: ReactNode;
  readonly isDisabled?: boolean;
  /** Below the button. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** A form of a stranger: refusals stand on top, and nothing is sent before the captcha has its answer. */
export function EntryForm(props: EntryFormProps) {
  const { captcha, submission, label, isDisabled = false, note, children } = props;
  const { t } = useTranslation();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (captcha.isReady()) void submission.submit();
      }}
    >
      <Stack gap="sm">
        {submission.problem !== undefined && (
          <Notice tone="red">{problemText(t, submission.problem)}</Notice>
        )}
        {children}
        {captcha.widget}
        <Button
          type="submit"
          fullWidth
          loading={submission.isBusy}
          disabled={isDisabled || !captcha.isKnown}
        >
          {label}
        </Button>
        {note}
      </Stack>
    </form>
  );
}
