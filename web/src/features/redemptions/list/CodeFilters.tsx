import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATES } from '../../../../../src/domain/redemption-state.ts';
import { type FilterProps, ListFilters } from '../../../components/layout/ListFilters.tsx';
import type { UrlStateOf } from '../../../lib/browser/page-links.ts';

const KINDS = ['gift', 'plain'] as const;

export function CodeFilters(props: FilterProps<UrlStateOf<'/admin/coupons'>>) {
  const { t } = useTranslation();
  return (
    <ListFilters<UrlStateOf<'/admin/coupons'>>
      {...props}
      rows={[
        {
          input: 'text',
          field: 'q',
          label: t('common.search'),
          placeholder: t('redemption.searchHint'),
          width: 260,
          isSearch: true,
        },
        {
          input: 'choice',
          field: 'state',
          label: t('common.status'),
          width: 130,
          values: REDEMPTION_STATES,
          text: (state) => t(`status.redemption.${state}`),
        },
        {
          input: 'choice',
          field: 'type',
          label: t('common.type'),
          width: 130,
          values: KINDS,
          text: (kind) => t(kind === 'gift' ? 'redemption.gift' : 'redemption.plain'),
        },
      ]}
    />
  );
}
