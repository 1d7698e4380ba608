import { Autocomplete, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { channelTypeName } from '../../../components/display/tag-lists.tsx';
import { ChoiceInput, SearchInput } from '../../../components/forms/FilterInputs.tsx';
import { FilterBar, type FilterChip } from '../../../components/layout/FilterBar.tsx';
import { type Draft, useDraft } from '../../../hooks/useDraft.ts';
import { useGroupNames } from '../../../lib/api/group-names.ts';
import { RARELY_CHANGED_STALE_MS } from '../../../lib/api/query-client.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import {
  CHANNEL_STATES,
  type ChannelStateName,
  type PAGE_FIELDS,
  type UrlStateOf,
} from '../../../lib/browser/page-links.ts';
import type { UrlState } from '../../../lib/browser/url-state.ts';
import { channels } from '../calls.ts';
import { TYPES_BY_NAME, typeNote, typesMeantBy } from '../editor/type-forms.ts';

const TYPE_NUMBERS = TYPES_BY_NAME.map(({ type }) => type);

type Narrowing = Pick<
  UrlStateOf<'/admin/channels'>,
  'q' | 'model' | 'group' | 'type' | 'status' | 'untagged'
>;

interface ChannelFiltersProps {
  readonly url: UrlState<(typeof PAGE_FIELDS)['/admin/channels']>;
  readonly tools: ReactNode;
}

export function ChannelFilters({ url, tools }: ChannelFiltersProps) {
  const { t } = useTranslation();
  const { state, set, reset } = url;
  const { q, model, group, type, status, untagged } = state;
  const filters = useDraft<Narrowing>({ q, model, group, type, status, untagged }, set);
  const { draft } = filters;
  const names = useNames();
  return (
    <FilterBar
      filters={filters}
      onReset={reset}
      chips={useChips(url)}
      tools={tools}
      more={<MoreFilters filters={filters} />}
      moreCount={
        [type, status || undefined, untagged || undefined].filter((one) => one !== undefined).length
      }
    >
      <SearchInput
        width={{ base: '100%', xs: 250 }}
        label={t('channel.filter.q')}
        placeholder={t('channel.filter.qHint')}
        value={draft.q}
        onChange={(q) => filters.type({ q })}
      />
      <Autocomplete
        w={{ base: '100%', xs: 180 }}
        label={t('common.model')}
        placeholder={t('common.any')}
        data={names.models}
        limit={30}
        value={draft.model}
        onChange={(value) => filters.type({ model: value })}
      />
      <Autocomplete
        w={{ base: '100%', xs: 140 }}
        label={t('common.group')}
        placeholder={t('common.any')}
        data={names.groups}
        value={draft.group}
        onChange={(value) => filters.type({ group: value })}
      />
    </FilterBar>
  );
}

function useNames(): { readonly models: string[]; readonly groups: readonly string[] } {
  const models = useQuery({
    queryKey: channelKeys.part('models-enabled'),
    queryFn: ({ signal }) => channels.modelsEnabled({}, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
  });
  return { models: models.data ?? [], groups: useGroupNames() };
}

function MoreFilters({ filters: { draft, choose } }: { readonly filters: Draft<Narrowing> }) {
  const { t } = useTranslation();
  return (
    <>
      <ChoiceInput
        isInPopover
        label={t('common.type')}
        placeholder={t('common.any')}
        searchable
        values={TYPE_NUMBERS}
        text={(type) => channelTypeName(type) ?? t('part.type', { type })}
        find={(typed) => typesMeantBy(TYPE_NUMBERS, typed, (slug) => typeNote(t, slug) ?? '')}
        value={draft.type}
        onChange={(type) => choose({ type })}
      />
      <ChoiceInput
        isInPopover
        label={t('common.status')}
        placeholder={t('common.any')}
        values={CHANNEL_STATES}
        text={(value) => statusText(t, value)}
        value={draft.status || undefined}
        onChange={(status) => choose({ status: status ?? '' })}
      />
      <Switch
        label={t('channel.filter.untagged')}
        checked={draft.untagged}
        onChange={(event) => choose({ untagged: event.currentTarget.checked })}
      />
    </>
  );
}

function statusText(t: TFunction, status: ChannelStateName): string {
  const isHealth = status === 'failing' || status === 'unknown';
  return isHealth ? t(`channel.state.${status}`) : t(`status.channel.${status}`);
}

function useChips({ state, set }: UrlState<(typeof PAGE_FIELDS)['/admin/channels']>): FilterChip[] {
  const { t } = useTranslation();
  const { q, model, group, type, status, tag, untagged } = state;
  const chip = (key: string, label: string, value: string, patch: Parameters<typeof set>[0]) => ({
    key,
    text: value === '' ? '' : t('part.named', { name: label, value }),
    onRemove: () => set(patch),
  });
  const typeName = type === undefined ? '' : (channelTypeName(type) ?? t('part.type', { type }));
  const statusName = status === '' ? '' : statusText(t, status);
  return [
    chip('q', t('channel.filter.q'), q, { q: '' }),
    chip('model', t('common.model'), model, { model: '' }),
    chip('group', t('common.group'), group, { group: '' }),
    chip('type', t('common.type'), typeName, { type: undefined }),
    chip('status', t('common.status'), statusName, { status: '' }),
    chip('tag', t('channel.field.tag'), tag, { tag: '' }),
    {
      key: 'untagged',
      text: untagged ? t('channel.filter.untagged') : '',
      onRemove: () => set({ untagged: false }),
    },
  ];
}
