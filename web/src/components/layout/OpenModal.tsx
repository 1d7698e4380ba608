import { Modal, type ModalProps } from '@mantine/core';
import { useReturnFocus } from '../../hooks/useReturnFocus.ts';

/** A dialog that is open while it is mounted. */
export function OpenModal(props: Omit<ModalProps, 'opened'>) {
  useReturnFocus();
  return <Modal opened {...props} />;
}
