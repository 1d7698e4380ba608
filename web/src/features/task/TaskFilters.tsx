import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isRangeWord } from '../../../../src/domain/logs/time-ranges.ts';
import { SearchInput } from '../../components/forms/FilterInputs.tsx';
import { TimeRange } from '../../components/forms/TimeRange.tsx';
import { FilterBar, type FilterChip } from '../../components/layout/FilterBar.tsx';
import { useDraft } from '../../hooks/useDraft.ts';
import { dateTimeText } from '../../lib/text/dates.ts';
import type { TaskChoice } from './filter.ts';

interface TaskFiltersProps {
  readonly choice: TaskChoice;
  /** The default range. */
  readonly usualFrom: string;
  readonly idLabel: string;
  readonly isAdmin: boolean;
  readonly onChoice: (patch: Partial<TaskChoice>, how?: { readonly replace?: boolean }) => void;
  readonly onReset: () => void;
  readonly tools: ReactNode;
}

/** The filters of the task logs. */
export function TaskFilters(props: TaskFiltersProps) {
  const { choice, idLabel, isAdmin, onChoice, onReset, tools } = props;
  const { t } = useTranslation();
  const filters = useDraft(choice, onChoice);
  const { draft, type, choose } = filters;
  return (
    <FilterBar filters={filters} onReset={onReset} chips={useChips(props)} tools={tools}>
      <TimeRange
        value={{ from: draft.from === 'all' ? '' : draft.from, to: draft.to }}
        onChange={({ from, to }) => choose({ from: from === '' && to === '' ? 'all' : from, to })}
      />
      <SearchInput
        width={220}
        label={idLabel}
        value={draft.task}
        onChange={(task) => type({ task })}
      />
      {isAdmin && (
        <NumberInput
          w={110}
          label={t('task.channelId')}
          min={1}
          hideControls
          allowDecimal={false}
          value={draft.channel ?? ''}
          onChange={(value) => type({ channel: value === '' ? undefined : Number(value) })}
        />
      )}
    </FilterBar>
  );
}

function useChips({ choice, usualFrom, idLabel, isAdmin, onChoice }: TaskFiltersProps) {
  const { t } = useTranslation();
  const { from, to, task, channel } = choice;
  const chips: FilterChip[] = [];
  const chip = (key: string, text: string, patch: Partial<TaskChoice>) =>
    chips.push({ key, text, onRemove: () => onChoice(patch) });
  if (from !== usualFrom || to !== '') {
    const moment = (text: string) => (/^\d+$/.test(text) ? dateTimeText(Number(text)) : '');
    const text =
      to === '' && isRangeWord(from)
        ? t(`part.range.${from}`)
        : from === 'all' && to === ''
          ? t('part.range.open')
          : `${moment(from)} - ${moment(to)}`;
    chip('range', text, { from: usualFrom, to: '' });
  }
  if (task !== '') chip('task', t('part.named', { name: idLabel, value: task }), { task: '' });
  if (isAdmin && channel !== undefined) {
    const text = t('part.named', { name: t('task.channelId'), value: channel });
    chip('channel', text, { channel: undefined });
  }
  return chips;
}
