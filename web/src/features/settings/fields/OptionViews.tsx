import { SegmentedControl, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import type { FormKey } from '../sections/tabs.ts';
import { Fields } from './OptionFields.tsx';

interface OptionViewsProps {
  /** The options behind the table, which can be written as JSON too. */
  readonly keys: readonly FormKey[];
  /** What one of them has wrong. */
  readonly problem: string | undefined;
  /** undefined where the texts are not what a table can show. */
  readonly table: ReactNode | undefined;
}

/** Options of several rows: as a table, or as the text that they are. */
export function OptionViews({ keys, problem, table }: OptionViewsProps) {
  const { t } = useTranslation();
  const [view, setView] = useState('table');
  return (
    <Stack gap="sm" align="stretch">
      <div>
        <SegmentedControl
          size="xs"
          aria-label={t('setting.view')}
          value={view}
          onChange={setView}
          data={[
            { value: 'table', label: t('setting.view.table') },
            { value: 'json', label: t('setting.view.json') },
          ]}
        />
      </div>
      {view === 'json' && <Fields keys={keys} />}
      {view === 'table' && table === undefined && (
        <Notice tone="yellow">{t('setting.group.unreadable')}</Notice>
      )}
      {view === 'table' && problem !== undefined && <Notice tone="red">{problem}</Notice>}
      {view === 'table' && table}
    </Stack>
  );
}
