import type { UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';

/**
 * Fills a form that outlives its records: once whenever another record is opened, so that a refetch
 * of the same one leaves what was typed.
 * @param opened which record is open; undefined while none is, or while it is still fetched.
 */
export function useFilledForm<V extends object>(
  form: UseFormReturnType<V>,
  opened: string | number | undefined,
  values: () => V,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the change of record fills the form
  useEffect(() => {
    if (opened === undefined) return;
    const filled = values();
    form.setInitialValues(filled);
    form.setValues(filled);
    form.clearErrors();
    form.resetDirty(filled);
  }, [opened]);
}
