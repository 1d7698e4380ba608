import { SegmentedControl, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import type { FormKey } from '../sections/tabs.ts';
import { OptionFields } from './OptionFields.tsx';

interface OptionViewsProps {
  /** The options shown in the table, also editable as JSON. */
  readonly keys: readonly FormKey[];
  /** The validation error of one of them. */
  readonly problem: string | undefined;
  /** undefined if the texts cannot be shown as a table. */
  readonly table: ReactNode | undefined;
}

/** Options with several rows: as a table or as JSON. */
export function OptionViews({ keys, problem, table }: OptionViewsProps) {
  const { t } = useTranslation();
  const [view, setView] = useState('table');
  return (
    <Stack gap="sm" align="stretch">
      <div>
        <SegmentedControl
          size="xs"
          aria-label={t('common.view')}
          value={view}
          onChange={setView}
          data={[
            { value: 'table', label: t('common.table') },
            { value: 'json', label: t('setting.price.tab.json') },
          ]}
        />
      </div>
      {view === 'json' && <OptionFields keys={keys} />}
      {view === 'table' && table === undefined && (
        <Notice tone="yellow">{t('setting.group.unreadable')}</Notice>
      )}
      {view === 'table' && problem !== undefined && <Notice tone="red">{problem}</Notice>}
      {view === 'table' && table}
    </Stack>
  );
}
