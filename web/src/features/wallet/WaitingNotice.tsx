import { Box, Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../components/display/Notice.tsx';

export function WaitingNotice({ onStop }: { readonly onStop: () => void }) {
  const { t } = useTranslation();
  return (
    <Box mt="sm" aria-live="polite">
      <Notice
        tone="blue"
        action={
          <Button size="compact-sm" variant="default" onClick={onStop}>
            {t('wallet.topUp.stopWaiting')}
          </Button>
        }
      >
        {t('wallet.topUp.waiting')}
      </Notice>
    </Box>
  );
}
