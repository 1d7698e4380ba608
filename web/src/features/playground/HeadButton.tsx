import { ActionIcon, Button } from '@mantine/core';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useIsPhone } from '../../lib/display/screen.ts';

interface HeadButtonProps
  extends Omit<ComponentPropsWithRef<'button'>, 'children' | 'color' | 'style'> {
  readonly icon: ReactNode;
  readonly label: string;
}

/** A button next to the heading; on a phone only the icon, so that all of them fit in one line. */
export function HeadButton({ icon, label, ...button }: HeadButtonProps) {
  if (useIsPhone())
    return (
      <ActionIcon {...button} variant="default" size="var(--control)" aria-label={label}>
        {icon}
      </ActionIcon>
    );
  return (
    <Button {...button} variant="default" leftSection={icon}>
      {label}
    </Button>
  );
}
