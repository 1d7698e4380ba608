import type { UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';

/**
 * Fills a form that outlives its records: once per opened record, so that a refetch of the same one
 * keeps the edits.
 * @param opened the open record; undefined if none is, or while it is loading.
 */
export function useFilledForm<V extends object>(
  form: UseFormReturnType<V>,
  opened: string | number | undefined,
  values: () => V,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of record fills the form
  useEffect(() => {
    if (opened === undefined) return;
    const filled = values();
    form.setInitialValues(filled);
    form.setValues(filled);
    form.clearErrors();
    form.resetDirty(filled);
  }, [opened]);
}
