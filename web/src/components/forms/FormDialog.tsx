import { type ModalProps, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { SuccessOptions } from '../../hooks/useAction.ts';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { DialogFooter } from '../layout/DialogFooter.tsx';
import { OpenModal } from '../layout/OpenModal.tsx';
import { Form, ProblemNotice } from './Form.tsx';

interface FormDialogProps<V extends object, R>
  extends Omit<ModalProps, 'opened' | 'onSubmit'>,
    SuccessOptions<R, V> {
  readonly form: UseFormReturnType<V>;
  /** Rejects with the server's error. */
  readonly onSubmit: (values: V) => Promise<R>;
  readonly verb: string;
  /** Left of Cancel. */
  readonly extra?: ReactNode;
}

/** A short form in a dialog that is open while it is mounted; it closes once it is submitted, or calls `onDone`. */
export function FormDialog<V extends object, R>(props: FormDialogProps<V, R>) {
  const { form, onSubmit, touches, done, onDone, verb, extra, children, ...modal } = props;
  const { isBusy, problem, submit } = useSubmit(form, onSubmit, {
    touches,
    done,
    onDone: onDone ?? modal.onClose,
  });
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
