import { Button, Modal, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconGift } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { QuotaText } from '../../components/display/QuotaText.tsx';

interface CreditedDialogProps {
  readonly credited: Credit | undefined;
  readonly onClose: () => void;
}

/** Confirms a credited amount. */
export function CreditedDialog({ credited, onClose }: CreditedDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={credited !== undefined}
      onClose={onClose}
      size={380}
      title={credited && t(`wallet.credited.title.${credited.by}`)}
    >
      {credited && (
        <Stack align="center" gap="sm">
          <ThemeIcon size={56} radius="xl" color={credited.by === 'gift' ? 'iris' : 'success'}>
            {credited.by === 'gift' ? <IconGift size={28} /> : <IconCheck size={28} />}
          </ThemeIcon>
          <Text size="md" fz={28} fw={600} component="div">
            +<QuotaText units={credited.quota} />
          </Text>
          <Text ta="center">{t(`wallet.credited.text.${credited.by}`)}</Text>
          <Button data-autofocus onClick={onClose}>
            {t('wallet.credited.ok')}
          </Button>
        </Stack>
      )}
    </Modal>
  );
}

export interface Credit {
  /** Units. */
  readonly quota: number;
  readonly by: 'code' | 'gift' | 'payment';
}
