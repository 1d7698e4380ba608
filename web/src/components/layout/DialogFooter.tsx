import { Button, type ButtonProps, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../display/SideButton.tsx';

interface DialogFooterProps extends Omit<ButtonProps, 'onClick'> {
  readonly onClose: () => void;
  readonly verb: string;
  /** Without it the button submits the form of the dialog. */
  readonly onClick?: () => unknown;
  /** The focus starts on Cancel. */
  readonly isCautious?: boolean;
  /** Left of Cancel. */
  readonly children?: ReactNode;
}

/** Cancel, and the button with the verb. */
export function DialogFooter(props: DialogFooterProps) {
  const { onClose, verb, onClick, isCautious = false, children, ...rest } = props;
  const { t } = useTranslation();
  const act =
    onClick === undefined ? { type: 'submit' as const } : { onClick: () => void onClick() };
  return (
    <Group justify="flex-end">
      {children}
      <SideButton
        data-autofocus={isCautious || undefined}
        label={t('action.cancel')}
        onClick={onClose}
      />
      <Button {...act} {...rest}>
        {verb}
      </Button>
    </Group>
  );
}
