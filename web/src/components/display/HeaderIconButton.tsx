import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface HeaderIconButtonProps {
  readonly label: string;
  readonly isOff?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** An icon button in the header of a detail view: next, previous, copy link. */
export function HeaderIconButton({
  label,
  isOff = false,
  onClick,
  children,
}: HeaderIconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={32} aria-label={label} disabled={isOff} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
