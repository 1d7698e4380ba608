import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { MomentPickerProps } from './MomentPicker.tsx';

const MomentPicker = lazy(async () => ({
  default: (await import('./MomentPicker.tsx')).MomentPicker,
}));

interface MomentInputProps extends Omit<MomentPickerProps, 'width'> {
  /** Fills the available width; otherwise fits a date and time. */
  readonly isWide?: boolean;
}

/**
 * A date and time input in the user's time zone. The calendar is 33 kB and loads on first use; what
 * follows the field does not move meanwhile.
 */
export function MomentInput({ isWide = false, ...input }: MomentInputProps) {
  const width = isWide ? '100%' : 210;
  return (
    <Suspense fallback={<Skeleton height={52} width={width} />}>
      <MomentPicker {...input} width={width} />
    </Suspense>
  );
}
