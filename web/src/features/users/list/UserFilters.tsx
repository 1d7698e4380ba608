import { useTranslation } from 'react-i18next';
import { ROLES, roleWord } from '../../../../../src/domain/roles.ts';
import { USER_STATUS } from '../../../../../src/domain/statuses.ts';
import { statusKey } from '../../../components/display/StatusBadge.tsx';
import { type FilterProps, ListFilters } from '../../../components/layout/ListFilters.tsx';
import { useGroupNames } from '../../../lib/api/group-names.ts';
import type { UrlStateOf } from '../../../lib/browser/page-links.ts';

const ROLE_VALUES = [ROLES.user, ROLES.admin, ROLES.super_admin] as const;
const STATUSES = Object.values(USER_STATUS);

export function UserFilters(props: FilterProps<UrlStateOf<'/admin/users'>>) {
  const { t } = useTranslation();
  const names = new Set([...useGroupNames(), props.state.group]);
  names.delete('');
  return (
    <ListFilters<UrlStateOf<'/admin/users'>>
      {...props}
      rows={[
        {
          input: 'text',
          field: 'q',
          label: t('common.search'),
          placeholder: t('user.searchHint'),
          width: 280,
          isSearch: true,
        },
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
          values: STATUSES,
          text: (status) => t(statusKey('user', status)),
        },
      ]}
    />
  );
}
