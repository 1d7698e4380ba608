import { type ModalProps, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { DialogFooter } from '../layout/DialogFooter.tsx';
import { OpenModal } from '../layout/OpenModal.tsx';
import { Form, ProblemNotice } from './Form.tsx';

interface FormDialogProps<V extends object> extends Omit<ModalProps, 'opened' | 'onSubmit'> {
  readonly form: UseFormReturnType<V>;
  /** Rejects with the server's error. */
  readonly onSubmit: (values: V) => Promise<unknown>;
  readonly verb: string;
  /** Left of Cancel. */
  readonly extra?: ReactNode;
}

/** A short form in a dialog that is open while it is mounted. */
export function FormDialog<V extends object>(props: FormDialogProps<V>) {
  const { form, onSubmit, verb, extra, children, ...modal } = props;
  const { isBusy, problem, submit } = useSubmit(form, onSubmit);
  return (
    <OpenModal {...modal}>
      <Form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNotice problem={problem} />
          {children}
          <DialogFooter onClose={modal.onClose} verb={verb} loading={isBusy}>
            {extra}
          </DialogFooter>
        </Stack>
      </Form>
    </OpenModal>
  );
}
