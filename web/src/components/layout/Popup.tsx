import { Popover, type PopoverProps } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { usePopupLayer } from './popup-layer.ts';

interface PopupProps extends Omit<PopoverProps, 'opened' | 'onChange' | 'onClose' | 'onOpen'> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * A popover that Escape closes wherever the focus is, without closing anything else; Mantine's own
 * needs the focus inside.
 */
export function Popup({ isOpen, onClose, ...rest }: PopupProps) {
  usePopupLayer(isOpen);
  useWindowEvent('keydown', (event) => {
    if (isOpen && event.key === 'Escape' && !event.isComposing) onClose();
  });
  return (
    <Popover
      opened={isOpen}
      onChange={(isOpen) => !isOpen && onClose()}
      position="bottom-end"
      shadow="md"
      returnFocus
      trapFocus
      {...rest}
    />
  );
}
