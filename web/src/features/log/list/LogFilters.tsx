import { Autocomplete, NumberInput, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isRangeWord } from '../../../../../src/domain/logs/time-ranges.ts';
import { TimeRange } from '../../../components/forms/TimeRange.tsx';
import { FilterBar, type FilterChip } from '../../../components/layout/FilterBar.tsx';
import { useDraft } from '../../../hooks/useDraft.ts';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { LOG_TYPE_CHOICES } from '../../../lib/browser/page-links.ts';
import { dateTimeText } from '../../../lib/text/dates.ts';
import { listModels, tokenNames } from '../calls.ts';
import type { LogChoice } from './log-filter.ts';
import { choiceName } from './type-name.ts';

interface LogFiltersProps {
  readonly choice: LogChoice;
  /** The range without a choice. */
  readonly usualRange: string;
  readonly isAdmin: boolean;
  readonly onChoice: (patch: Partial<LogChoice>, how?: { readonly replace?: boolean }) => void;
  readonly onReset: () => void;
  readonly tools: ReactNode;
}

/** The filters of the log. */
export function LogFilters(props: LogFiltersProps) {
  const { t } = useTranslation();
  const { choice, isAdmin, onChoice, onReset, tools } = props;
  const filters = useDraft(choice, onChoice);
  const { draft, type, choose } = filters;
  const chips = useChips(props);
  const text = (name: 'user' | 'group' | 'request' | 'ip') => ({
    value: draft[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
      type({ [name]: event.currentTarget.value }),
  });
  const number = (name: 'token_id' | 'channel') => ({
    min: 1,
    hideControls: true,
    allowDecimal: false,
    value: draft[name] ?? '',
    onChange: (value: string | number) =>
      type({ [name]: value === '' ? undefined : Number(value) }),
  });
  const more = [
    choice.group,
    choice.token_id,
    choice.request,
    choice.ip,
    isAdmin && choice.channel,
  ];
  return (
    <FilterBar
      filters={filters}
      onReset={onReset}
      chips={chips}
      moreCount={
        more.filter((value) => value !== '' && value !== undefined && value !== false).length
      }
      tools={tools}
      more={
        <>
          <TextInput label={t('common.group')} {...text('group')} />
          <NumberInput label={t('log.field.token_id')} {...number('token_id')} />
          {isAdmin && <NumberInput label={t('log.field.channel')} {...number('channel')} />}
          <TextInput
            label={t('log.field.request')}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...text('request')}
          />
          <TextInput label={t('log.field.ip')} description={t('log.ip.hint')} {...text('ip')} />
        </>
      }
    >
      <TimeRange
        value={{ from: draft.from === 'all' ? '' : draft.from, to: draft.to }}
        onChange={({ from, to }) => choose({ from: from === '' && to === '' ? 'all' : from, to })}
      />
      <TypeSelect value={draft.type} onChange={(type) => choose({ type })} />
      {isAdmin && <TextInput w={120} label={t('common.user')} {...text('user')} />}
      <TokenInput value={draft.token} onChange={(token) => type({ token })} />
      <ModelInput value={draft.model} onChange={(model) => type({ model })} />
    </FilterBar>
  );
}

interface TypeSelectProps {
  readonly value: string;
  readonly onChange: (type: string) => void;
}

/** A value of the input may not be empty. */
const ALL = '0';

function TypeSelect({ value, onChange }: TypeSelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      w={130}
      label={t('common.type')}
      allowDeselect={false}
      data={[
        { value: ALL, label: t('log.type.all') },
        ...LOG_TYPE_CHOICES.map((value) => ({ value, label: choiceName(t, value) })),
      ]}
      value={value || ALL}
      onChange={(type) => onChange(type === null || type === ALL ? '' : type)}
    />
  );
}

interface NameInputProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

const MAX_OFFERED = 50;
const PAUSE_MS = 200;

/** Suggests the reader's own tokens with the typed part; administrators may type any other. */
function TokenInput({ value, onChange }: NameInputProps) {
  const { t } = useTranslation();
  const [isTouched, setTouched] = useState(false);
  const [part] = useDebouncedValue(value.replaceAll('*', ''), PAUSE_MS);
  const names = useQuery({
    queryKey: logKeys.part('tokens', part),
    queryFn: ({ signal }) => tokenNames(part, signal),
    enabled: isTouched,
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
  return (
    <Autocomplete
      w={140}
      label={t('log.field.token')}
      placeholder={t('log.model.hint')}
      data={[...new Set(names.data ?? [])]}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onFocus={() => setTouched(true)}
      selectFirstOptionOnChange={false}
    />
  );
}

/** Suggests the user's models on focus; any other name or pattern may be typed. */
function ModelInput({ value, onChange }: NameInputProps) {
  const { t } = useTranslation();
  const [isTouched, setTouched] = useState(false);
  const models = useQuery({
    queryKey: logKeys.part('models'),
    queryFn: ({ signal }) => listModels(signal),
    enabled: isTouched,
    staleTime: 60_000,
  });
  return (
    <Autocomplete
      w={170}
      label={t('common.model')}
      placeholder={t('log.model.hint')}
      data-page-search
      data={[...new Set(models.data ?? [])]}
      limit={MAX_OFFERED}
      value={value}
      onChange={onChange}
      onFocus={() => setTouched(true)}
      // Enter uses the typed text, as in every other input of the bar.
      selectFirstOptionOnChange={false}
    />
  );
}

const FIELDS = ['user', 'token', 'token_id', 'model', 'group', 'request', 'ip', 'channel'] as const;
const ADMIN_FIELDS: readonly string[] = ['user', 'channel'] satisfies (typeof FIELDS)[number][];

/** The active filters, each with a callback to remove it. */
function useChips({
  choice,
  usualRange,
  isAdmin,
  onChoice,
}: LogFiltersProps): readonly FilterChip[] {
  const { t } = useTranslation();
  const chips: FilterChip[] = [];
  if (choice.from !== usualRange || choice.to !== '') {
    const text = rangeText(choice, t('log.range.now'));
    const known = isRangeWord(choice.from) && choice.to === '';
    chips.push({
      key: 'range',
      text:
        known && isRangeWord(choice.from)
          ? t(`part.range.${choice.from}`)
          : (text ?? t('part.range.open')),
      onRemove: () => onChoice({ from: usualRange, to: '' }),
    });
  }
  if (choice.type !== '') {
    const text = t('part.named', { name: t('common.type'), value: choiceName(t, choice.type) });
    chips.push({ key: 'type', text, onRemove: () => onChoice({ type: '' }) });
  }
  for (const key of FIELDS) {
    const value = choice[key];
    if (value === '' || value === undefined || (!isAdmin && ADMIN_FIELDS.includes(key))) continue;
    const text = t('part.named', { name: t(`log.field.${key}`), value });
    const none = typeof value === 'number' ? undefined : '';
    chips.push({ key, text, onRemove: () => onChoice({ [key]: none }) });
  }
  return chips;
}

function rangeText({ from, to }: LogChoice, now: string): string | undefined {
  if (from === 'all' && to === '') return undefined;
  const moment = (text: string) => (/^\d+$/.test(text) ? dateTimeText(Number(text)) : text);
  return `${from === 'all' ? '' : moment(from)} - ${to === '' ? now : moment(to)}`;
}
