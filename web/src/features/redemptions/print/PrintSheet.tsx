import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../../components/content/QrCode.tsx';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { redeemLink } from '../calls.ts';
import type { Made } from '../new-codes.ts';
import classes from './PrintSheet.module.css';
import { useOrigin } from './RedeemQr.tsx';

/** The codes for printing, one card each to cut out; hidden on screen. */
export function PrintSheet({ made }: { readonly made: Made }) {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const origin = useOrigin();
  const { name, quota, keys } = made;
  return createPortal(
    <div className={classes.sheet} aria-hidden>
      {keys.map((key) => (
        <div key={key} className={classes.code}>
          <QrCode text={redeemLink(origin, key)} label={key} size={96} />
          <div>
            <p className={classes.name}>{name}</p>
            <p className={classes.worth}>{quotaText(quota)}</p>
            <p className={classes.key}>{key}</p>
            <p className={classes.hint}>{t('redemption.sheetHint', { address: origin })}</p>
          </div>
        </div>
      ))}
    </div>,
    document.body,
  );
}
