import { PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import { statusKey } from '../../../components/display/StatusBadge.tsx';
import { type FilterProps, ListFilters } from '../../../components/layout/ListFilters.tsx';
import type { UrlStateOf } from '../../../lib/browser/page-links.ts';
import type { SelectableGroups } from '../calls.ts';
import { keyHint, keyInSearch } from './key-search.ts';

export interface TokenFilterState
  extends Pick<UrlStateOf<'/app/tokens'>, 'q' | 'status' | 'group'> {
  /** A whole key. Kept out of the URL, which ends up in histories and links. */
  readonly key: string;
}

interface TokenFiltersProps extends FilterProps<TokenFilterState> {
  readonly groups: SelectableGroups | undefined;
}

/** A key typed or pasted into either input searches by key. */
function withKey(draft: TokenFilterState): TokenFilterState {
  const pasted = keyInSearch(draft.q);
  if (pasted !== undefined) return { ...draft, q: '', key: pasted };
  return { ...draft, key: keyInSearch(draft.key) ?? draft.key };
}

export function TokenFilters({ groups, ...props }: TokenFiltersProps) {
  const { t } = useTranslation();
  const names = new Set([...Object.keys(groups ?? {}), props.state.group]);
  names.delete('');
  return (
    <ListFilters<TokenFilterState>
      {...props}
      read={withKey}
      rows={[
        {
          input: 'text',
          field: 'q',
          label: t('common.name'),
          placeholder: t('token.searchHint'),
          width: 220,
          isSearch: true,
        },
        {
          input: 'own',
          field: 'key',
          label: t('token.key'),
          text: keyHint,
          render: ({ draft, type }) => (
            <PasswordInput
              w={{ base: '100%', xs: 200 }}
              label={t('token.key')}
              placeholder="sk-…"
              autoComplete="off"
              data-1p-ignore
              value={draft.key}
              onChange={(event) => type({ key: event.currentTarget.value })}
              visibilityToggleButtonProps={{ 'aria-label': t('part.secret.show') }}
            />
          ),
        },
        {
          input: 'choice',
          field: 'status',
          label: t('common.status'),
          isMore: true,
          values: Object.values(TOKEN_STATUS),
          text: (status) => t(statusKey('token', status)),
        },
        {
          input: 'choice',
          field: 'group',
          label: t('common.group'),
          isMore: true,
          searchable: true,
          values: [...names],
          text: String,
        },
      ]}
    />
  );
}
