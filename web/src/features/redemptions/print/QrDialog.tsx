import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Redemption } from '../calls.ts';
import { RedeemQr } from './RedeemQr.tsx';

interface QrDialogProps {
  readonly code: Redemption | undefined;
  readonly onClose: () => void;
}

export function QrDialog({ code, onClose }: QrDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={code !== undefined}
      onClose={onClose}
      title={code?.name ?? ''}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {code && <RedeemQr code={code} />}
    </Modal>
  );
}
