import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface HeaderIconButtonProps {
  readonly label: string;
  readonly isOff?: boolean;
  /** Pixels; 32 by default. */
  readonly size?: number;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** An icon button whose tooltip is its name, as in the header of a detail view. */
export function HeaderIconButton({
  label,
  isOff = false,
  size = 32,
  onClick,
  children,
}: HeaderIconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={size} aria-label={label} disabled={isOff} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
