import { Box } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import { useSettings } from './settings-store.ts';

export function CodeDanger() {
  const { t } = useTranslation();
  return (
    <Box mb="md">
      <Notice tone="yellow">{t('setting.head.danger')}</Notice>
    </Box>
  );
}

/** Payment callbacks cannot reach a loopback address. */
export function PaymentServer() {
  const { t } = useTranslation();
  const { stored } = useSettings();
  const address = stored.get('ServerAddress');
  if (address === undefined || !/^https?:\/\/(localhost|127\.|\[::1\])/i.test(address)) return null;
  return (
    <Box mb="md">
      <Notice tone="yellow">{t('setting.payment.localServer')}</Notice>
    </Box>
  );
}
