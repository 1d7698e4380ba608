import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CopyWideButton } from '../../../components/display/copy.tsx';
import { saveText } from '../../../lib/browser/save-file.ts';
import { useIsPhone } from '../../../lib/display/screen.ts';
import type { Made } from '../new-codes.ts';
import { PrintSheet } from './PrintSheet.tsx';

interface MadeDialogProps {
  readonly made: Made | undefined;
  readonly onClose: () => void;
}

export function MadeDialog({ made, onClose }: MadeDialogProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  return (
    <Modal
      opened={made !== undefined}
      onClose={onClose}
      fullScreen={isPhone}
      size={560}
      title={t('redemption.made', { count: made?.keys.length ?? 0 })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {made && <MadeKeys made={made} />}
    </Modal>
  );
}

function MadeKeys({ made }: { readonly made: Made }) {
  const { t } = useTranslation();
  const { name, keys } = made;
  const lines = keys.join('\n');
  return (
    <Stack gap="md">
      <Text size="sm">{t('redemption.madeHint', { name })}</Text>
      <Code
        block
        tabIndex={0}
        aria-label={t('redemption.keys')}
        mah="min(320px, 45dvh)"
        style={{ overflow: 'auto' }}
      >
        {lines}
      </Code>
      <Group gap="xs">
        <CopyWideButton text={lines} data-autofocus>
          {t('redemption.copyAll')}
        </CopyWideButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveText(`${name}.txt`, lines, 'text/plain')}
        >
          {t('redemption.download')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} />}
          onClick={() => window.print()}
        >
          {t('redemption.print')}
        </Button>
      </Group>
      <PrintSheet made={made} />
    </Stack>
  );
}
