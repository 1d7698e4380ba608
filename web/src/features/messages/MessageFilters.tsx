import { useTranslation } from 'react-i18next';
import { type FilterProps, ListFilters } from '../../components/layout/ListFilters.tsx';
import type { UrlStateOf } from '../../lib/browser/page-links.ts';

export function MessageFilters(props: FilterProps<UrlStateOf<'/admin/messages'>>) {
  const { t } = useTranslation();
  return (
    <ListFilters
      {...props}
      rows={[
        {
          input: 'text',
          field: 'q',
          label: t('common.search'),
          placeholder: t('message.searchHint'),
          width: 260,
          isSearch: true,
        },
        { input: 'range' },
      ]}
    />
  );
}
