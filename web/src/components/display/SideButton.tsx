import { Button, type ButtonProps } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';

interface SideButtonProps
  extends ButtonProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps | 'children'> {
  readonly label: string;
  /** Before the label. */
  readonly icon?: Icon;
}

/** A button besides the main one of its region. */
export function SideButton({ label, icon: Icon, ...button }: SideButtonProps) {
  return (
    <Button
      variant="default"
      leftSection={Icon && <Icon size={button.size === undefined ? 16 : 14} />}
      {...button}
    >
      {label}
    </Button>
  );
}
