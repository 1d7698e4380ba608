import { Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemNotice } from '../../../components/forms/Form.tsx';
import { useSubmit } from '../../../hooks/useSubmit.ts';

interface SaveRowProps<V extends object> {
  readonly form: UseFormReturnType<V>;
  readonly onSave: (values: V) => Promise<unknown>;
  readonly extra?: ReactNode;
}

/** The Save button of a tab, enabled once something changed. */
export function SaveRow<V extends object>({ form, onSave, extra }: SaveRowProps<V>) {
  const { t } = useTranslation();
  const submission = useSubmit(form, onSave);
  return (
    <Stack gap="sm">
      <ProblemNotice problem={submission.problem} />
      <Group gap="xs">
        <Button
          disabled={!form.isDirty()}
          loading={submission.isBusy}
          onClick={() => void submission.submit()}
        >
          {t('action.save')}
        </Button>
        {extra}
      </Group>
    </Stack>
  );
}
