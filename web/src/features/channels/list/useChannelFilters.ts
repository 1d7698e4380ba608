import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { channelTypeName } from '../../../components/display/tag-lists.tsx';
import { type FilterRow, searchRow } from '../../../components/layout/ListFilters.tsx';
import { useGroupNames } from '../../../lib/api/group-names.ts';
import { RARELY_CHANGED_STALE_MS } from '../../../lib/api/query-client.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { CHANNEL_STATES, type UrlStateOf } from '../../../lib/browser/page-links.ts';
import { channels } from '../calls.ts';
import { TYPES_BY_NAME, typeNote, typesMeantBy } from '../editor/type-forms.ts';

const TYPE_NUMBERS = TYPES_BY_NAME.map(({ type }) => type);

type Filters = UrlStateOf<'/admin/channels'>;

export function useChannelFilters(): readonly FilterRow<Filters>[] {
  const { t } = useTranslation();
  const groups = useGroupNames();
  const { data: models = [] } = useQuery({
    queryKey: channelKeys.part('models-enabled'),
    queryFn: ({ signal }) => channels.modelsEnabled({}, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
  });
  const any = { input: 'text', placeholder: t('common.any') } as const;
  return [
    searchRow(t, {
      label: t('channel.filter.q'),
      placeholder: t('channel.filter.qHint'),
      width: 250,
    }),
    { ...any, field: 'model', label: t('common.model'), width: 180, offers: models },
    { ...any, field: 'group', label: t('common.group'), width: 140, offers: groups },
    {
      input: 'choice',
      field: 'type',
      label: t('common.type'),
      isMore: true,
      searchable: true,
      values: TYPE_NUMBERS,
      text: (type) => channelTypeName(type) ?? t('part.type', { type }),
      find: (typed) => typesMeantBy(TYPE_NUMBERS, typed, (slug) => typeNote(t, slug) ?? ''),
    },
    {
      input: 'choice',
      field: 'status',
      label: t('common.status'),
      isMore: true,
      values: CHANNEL_STATES,
      text: (status) =>
        status === 'failing' || status === 'unknown'
          ? t(`channel.state.${status}`)
          : t(`status.channel.${status}`),
    },
    { input: 'none', field: 'tag', label: t('channel.field.tag') },
    { input: 'flag', field: 'untagged', label: t('channel.filter.untagged'), isMore: true },
  ];
}
