import { useTranslation } from 'react-i18next';
import { ROLES, roleWord } from '../../../../../src/domain/roles.ts';
import { USER_STATUS } from '../../../../../src/domain/statuses.ts';
import { statusKey } from '../../../components/display/StatusBadge.tsx';
import { type FilterRow, searchRow } from '../../../components/layout/ListFilters.tsx';
import { useGroupNames } from '../../../lib/api/group-names.ts';
import type { UrlStateOf } from '../../../lib/browser/page-links.ts';

const ROLE_VALUES = [ROLES.user, ROLES.admin, ROLES.super_admin] as const;

type Filters = UrlStateOf<'/admin/users'>;

export function useUserFilters({ group }: Filters): readonly FilterRow<Filters>[] {
  const { t } = useTranslation();
  const names = new Set([...useGroupNames(), group]);
  names.delete('');
  return [
    searchRow(t, { placeholder: t('user.searchHint'), width: 280 }),
    {
      input: 'choice',
      field: 'group',
      label: t('common.group'),
      placeholder: t('user.anyGroup'),
      width: 160,
      searchable: true,
      values: [...names],
      text: String,
    },
    {
      input: 'choice',
      field: 'role',
      label: t('user.role'),
      isMore: true,
      values: ROLE_VALUES,
      text: (role) => t(`role.${roleWord(role)}`),
    },
    {
      input: 'choice',
      field: 'status',
      label: t('common.status'),
      isMore: true,
      values: Object.values(USER_STATUS),
      text: (status) => t(statusKey('user', status)),
    },
  ];
}
