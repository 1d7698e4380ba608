import { PasswordInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import { statusKey } from '../../../components/display/StatusBadge.tsx';
import type { FilterRow } from '../../../components/layout/ListFilters.tsx';
import type { UrlStateOf } from '../../../lib/browser/page-links.ts';
import { keyHint, keyInSearch } from './key-search.ts';

export interface TokenFilterState
  extends Pick<UrlStateOf<'/app/tokens'>, 'q' | 'status' | 'group'> {
  /** A whole key. Kept out of the URL, which ends up in histories and links. */
  readonly key: string;
}

/** A key typed or pasted into either input searches by key. */
export function withKey(draft: TokenFilterState): TokenFilterState {
  const pasted = keyInSearch(draft.q);
  if (pasted !== undefined) return { ...draft, q: '', key: pasted };
  return { ...draft, key: keyInSearch(draft.key) ?? draft.key };
}

/** @param groups '' is none. */
export function tokenFilters(
  t: TFunction,
  groups: readonly string[],
): readonly FilterRow<TokenFilterState>[] {
  const names = new Set(groups);
  names.delete('');
  return [
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
  ];
}
