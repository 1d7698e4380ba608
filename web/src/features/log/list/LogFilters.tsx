import { Autocomplete, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type FilterProps,
  type FilterRow,
  ListFilters,
} from '../../../components/layout/ListFilters.tsx';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { LOG_TYPE_CHOICES } from '../../../lib/browser/page-links.ts';
import { useIsNarrow } from '../../../lib/display/screen.ts';
import { listModels, tokenNames } from '../calls.ts';
import type { LogChoice } from './log-filter.ts';
import { choiceName } from './type-name.ts';

interface LogFiltersProps extends FilterProps<LogChoice> {
  /** The range without a choice. */
  readonly usualRange: string;
  readonly isAdmin: boolean;
}

const FOR_ADMINS: ReadonlySet<keyof LogChoice> = new Set(['user', 'channel', 'tag']);

/** The filters of the log, which take one line in a window of 1024 px. */
export function LogFilters({ usualRange, isAdmin, ...props }: LogFiltersProps) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const rows: readonly FilterRow<LogChoice>[] = [
    { input: 'range', usual: usualRange },
    {
      input: 'own',
      field: 'type',
      label: t('common.type'),
      text: (value) => choiceName(t, value),
      render: ({ draft, choose }) => (
        <TypeSelect value={draft.type} onChange={(type) => choose({ type })} />
      ),
    },
    {
      input: 'text',
      field: 'user',
      label: t('log.field.user'),
      isMore: isNarrow,
      ...(!isNarrow && { width: 120 }),
    },
    {
      input: 'own',
      field: 'token',
      label: t('log.field.token'),
      isMore: isNarrow,
      render: ({ draft, type }) => (
        <TokenInput
          value={draft.token}
          onChange={(token) => type({ token })}
          isInPopover={isNarrow}
        />
      ),
    },
    {
      input: 'own',
      field: 'model',
      label: t('log.field.model'),
      render: ({ draft, type }) => (
        <ModelInput value={draft.model} onChange={(model) => type({ model })} />
      ),
    },
    { input: 'text', field: 'group', label: t('log.field.group'), isMore: true },
    { input: 'number', field: 'token_id', label: t('log.field.token_id'), isMore: true },
    { input: 'number', field: 'channel', label: t('log.field.channel'), isMore: true },
    { input: 'text', field: 'tag', label: t('log.field.tag'), isMore: true },
    {
      input: 'text',
      field: 'request',
      label: t('log.field.request'),
      isMore: true,
      isMono: true,
    },
    {
      input: 'text',
      field: 'ip',
      label: t('log.field.ip'),
      description: t('log.ip.hint'),
      isMore: true,
    },
  ];
  const isShown = (row: FilterRow<LogChoice>) =>
    isAdmin || row.input === 'range' || !FOR_ADMINS.has(row.field);
  return <ListFilters {...props} rows={rows.filter(isShown)} />;
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
      w={{ base: '100%', xs: 130 }}
      label={t('common.type')}
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

interface TokenInputProps extends NameInputProps {
  /** Of further filters, which a list in a portal would close. */
  readonly isInPopover: boolean;
}

/** Suggests the reader's own tokens with the typed part; administrators may type any other. */
function TokenInput({ value, onChange, isInPopover }: TokenInputProps) {
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
      w={isInPopover ? '100%' : 140}
      comboboxProps={{ withinPortal: !isInPopover }}
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
      w={{ base: '100%', xs: 170 }}
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
