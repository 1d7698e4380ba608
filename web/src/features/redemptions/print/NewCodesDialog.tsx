import { Code, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../../components/content/QrCode.tsx';
import { CopyWideButton } from '../../../components/display/copy.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { saveText } from '../../../lib/browser/save-file.ts';
import { useIsPhone } from '../../../lib/display/screen.ts';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { type NewCodes, redeemLink } from '../calls.ts';
import classes from './NewCodesDialog.module.css';

interface NewCodesDialogProps {
  readonly made: NewCodes;
  readonly onClose: () => void;
}

export function NewCodesDialog({ made, onClose }: NewCodesDialogProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const { name, keys } = made;
  const lines = keys.join('\n');
  return (
    <OpenModal
      onClose={onClose}
      fullScreen={isPhone}
      size={560}
      title={t('redemption.made', { count: keys.length })}
    >
      <Stack gap="md">
        <Text>{t('redemption.madeHint', { name })}</Text>
        <Code
          block
          tabIndex={0}
          aria-label={t('redemption.keys')}
          mah="min(320px, 45dvh)"
          style={{ overflow: 'auto' }}
        >
          {lines}
        </Code>
        <Group>
          <CopyWideButton text={lines} data-autofocus>
            {t('redemption.copyAll')}
          </CopyWideButton>
          <SideButton
            icon={IconDownload}
            label={t('redemption.download')}
            onClick={() => saveText(`${name}.txt`, lines, 'text/plain')}
          />
          <SideButton
            icon={IconPrinter}
            label={t('redemption.print')}
            onClick={() => window.print()}
          />
        </Group>
        <PrintSheet made={made} />
      </Stack>
    </OpenModal>
  );
}

/** The codes for printing, one card each to cut out; hidden on screen. */
function PrintSheet({ made }: { readonly made: NewCodes }) {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const origin = useBaseUrl();
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
