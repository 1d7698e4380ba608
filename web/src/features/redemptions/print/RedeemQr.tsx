import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../../components/content/QrCode.tsx';
import { CopyText } from '../../../components/display/copy.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { usePrivacy } from '../../../lib/display/privacy.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { isSpent, type Redemption, redeemLink } from '../calls.ts';

/** QR code of the link to the wallet with the code filled in. */
export function RedeemQr({ code }: { readonly code: Redemption }) {
  const { t } = useTranslation();
  const isHidden = usePrivacy();
  const origin = useBaseUrl();
  if (isHidden) return null;
  const link = redeemLink(origin, code.key);
  return (
    <Stack gap="xs" align="center">
      {isSpent(code) && <Notice tone="yellow">{t('redemption.qrSpent')}</Notice>}
      <QrCode text={link} label={t('redemption.qrLabel', { name: code.name })} />
      <Dimmed ta="center">{t('redemption.qrHint')}</Dimmed>
      <CopyText text={link} label={t('redemption.copyLink')} />
    </Stack>
  );
}

interface QrDialogProps {
  readonly code: Redemption;
  readonly onClose: () => void;
}

export function QrDialog({ code, onClose }: QrDialogProps) {
  return (
    <OpenModal onClose={onClose} title={code.name}>
      <RedeemQr code={code} />
    </OpenModal>
  );
}
