/** Submits any form of the console: validation, request and error display. */
import type { UseFormReturnType } from '@mantine/form';
import i18next from 'i18next';
import { useRef, useState } from 'react';
import { focusFirstError } from '../components/forms/focus-error.ts';
import { toast } from '../components/layout/toasts.tsx';
import { ApiError } from '../lib/api/api.ts';
import { type SuccessOptions, useSuccess } from './useAction.ts';

export interface FormSubmission {
  readonly isBusy: boolean;
  /** A server error that belongs to no field. */
  readonly problem: unknown;
  /** Validates, sends once, and shows a field's error at that field. */
  submit(): Promise<void>;
  /** The same, unless `isReady` says no once the fields are valid. */
  submitIf(isReady: () => boolean): Promise<void>;
  clear(): void;
  /** Also between two renders. */
  isSending(): boolean;
}

interface SubmitOptions<R, V> extends SuccessOptions<R, V> {
  /** Called with the invalid fields, besides marking them. */
  readonly onInvalid?: ((fields: readonly string[]) => void) | undefined;
  /** Called after all of that. */
  readonly onClose?: (() => void) | undefined;
}

/** @param send rejects with the error, or with an AbortError if the user cancels. */
export function useSubmit<V extends object, R>(
  form: UseFormReturnType<V>,
  send: (values: V) => Promise<R>,
  { onInvalid, onClose, ...success }: SubmitOptions<R, V> = {},
): FormSubmission {
  const succeed = useSuccess(success);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  // Two quick presses can precede the next render, so the state alone would let both through.
  const isSending = useRef(false);
  const submitIf = async (isReady: () => boolean) => {
    if (isSending.current) return toast.error(i18next.t('part.submitTwice'));
    const { hasErrors, errors } = form.validate();
    if (hasErrors) {
      onInvalid?.(Object.keys(errors));
      return focusFirstError();
    }
    if (!isReady()) return;
    isSending.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      const values = form.getValues();
      await succeed(await send(values), values);
      onClose?.();
      form.resetDirty();
    } catch (error) {
      if (!isAbort(error) && !showAtFields(form, error)) setProblem(error);
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };
  const submit = () => submitIf(() => true);
  return {
    isBusy,
    problem,
    submit,
    submitIf,
    clear: () => setProblem(undefined),
    isSending: () => isSending.current,
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Marks the refused fields that the form has; false if one of them is not in the form. */
function showAtFields<V extends object>(form: UseFormReturnType<V>, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const values = form.getValues();
  const shown = error.fields.filter(({ field }) => field in values);
  for (const { field, message } of shown) form.setFieldError(field, message);
  if (shown.length > 0) focusFirstError();
  return shown.length > 0 && shown.length === error.fields.length;
}
