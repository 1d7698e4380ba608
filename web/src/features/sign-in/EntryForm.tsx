import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Form, ProblemNotice } from '../../components/forms/Form.tsx';
import type { Captcha } from '../../components/identity/Captcha.tsx';
import type { FormSubmission } from '../../hooks/useSubmit.ts';

interface EntryFormProps {
  readonly captcha: Captcha;
  readonly submission: FormSubmission;
  /** The label of the button. */
  readonly label: ReactNode;
  readonly isDisabled?: boolean;
  /** Below the button. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** A form for anonymous visitors: errors are at the top, and submitting waits for the captcha. */
export function EntryForm(props: EntryFormProps) {
  const { captcha, submission, label, isDisabled = false, note, children } = props;
  return (
    <Form onSubmit={() => submission.submitIf(captcha.isReady)}>
      <Stack gap="sm">
        <ProblemNotice problem={submission.problem} />
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
    </Form>
  );
}
