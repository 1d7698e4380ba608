import { Button } from '@mantine/core';
import { IconBan, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../../components/data-table/BulkBar.tsx';
import type { Chosen } from './useSelectedCodes.ts';

export function ChosenBar({ chosen }: { readonly chosen: Chosen }) {
  const { t } = useTranslation();
  return (
    <BulkBar count={chosen.ids.size} onClear={chosen.clear}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconCopy size={16} />}
        onClick={() => void chosen.copy()}
      >
        {t('redemption.copyChosen')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconBan size={16} />}
        onClick={() => void chosen.disable()}
      >
        {t('redemption.disableChosen')}
      </Button>
    </BulkBar>
  );
}
