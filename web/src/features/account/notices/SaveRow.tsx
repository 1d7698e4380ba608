import { Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemNotice } from '../../../components/forms/Form.tsx';
import type { SuccessOptions } from '../../../hooks/useAction.ts';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { selfKeys } from '../../../lib/api/query-keys.ts';

interface SaveRowProps<V extends object, R> extends Pick<SuccessOptions<R, V>, 'onDone'> {
  readonly form: UseFormReturnType<V>;
  readonly onSave: (values: V) => Promise<R>;
  readonly extra?: ReactNode;
}

/** The Save button of a tab, enabled once something changed. */
export function SaveRow<V extends object, R>(props: SaveRowProps<V, R>) {
  const { form, onSave, onDone, extra } = props;
  const { t } = useTranslation();
  const submission = useSubmit(form, onSave, {
    touches: [selfKeys],
    done: () => t('account.saved'),
    onDone,
  });
  return (
    <Stack gap="sm">
      <ProblemNotice problem={submission.problem} />
      <Group>
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
