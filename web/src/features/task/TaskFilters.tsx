import { useTranslation } from 'react-i18next';
import { type FilterProps, ListFilters } from '../../components/layout/ListFilters.tsx';
import type { TaskChoice } from './filter.ts';

interface TaskFiltersProps extends FilterProps<TaskChoice> {
  /** The default range. */
  readonly usualFrom: string;
  readonly isAdmin: boolean;
}

/** The filters of the task logs. */
export function TaskFilters({ usualFrom, isAdmin, ...props }: TaskFiltersProps) {
  const { t } = useTranslation();
  return (
    <ListFilters
      {...props}
      rows={[
        { input: 'range', usual: usualFrom },
        { input: 'text', field: 'task', label: t('task.id'), width: 220, isSearch: true },
        ...(isAdmin
          ? [{ input: 'number', field: 'channel', label: t('task.channelId'), width: 110 } as const]
          : []),
      ]}
    />
  );
}
