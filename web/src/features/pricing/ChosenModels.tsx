import { Button } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../components/data-table/BulkBar.tsx';
import { CopyWideButton } from '../../components/display/copy.tsx';
import { MOST_COMPARED } from './Calculator.tsx';

interface ChosenModelsProps {
  readonly models: readonly string[];
  readonly onClear: () => void;
  readonly onCompare: (models: readonly string[]) => void;
}

export function ChosenModels({ models, onClear, onCompare }: ChosenModelsProps) {
  const { t } = useTranslation();
  return (
    <BulkBar count={models.length} onClear={onClear}>
      <CopyWideButton size="xs" text={models.join(',')}>
        {t('pricing.copyNames')}
      </CopyWideButton>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconScale size={14} />}
        disabled={models.length < 2 || models.length > MOST_COMPARED}
        onClick={() => onCompare(models)}
      >
        {t('pricing.compare', { most: MOST_COMPARED })}
      </Button>
    </BulkBar>
  );
}
