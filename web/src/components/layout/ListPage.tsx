import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useIsPhone } from '../../lib/display/screen.ts';
import { ColumnSettings } from '../data-table/ColumnSettings.tsx';
import type { DataTableProps } from '../data-table/columns.ts';
import { DataTable } from '../data-table/DataTable.tsx';
import { ListFilters, type ListFiltersProps } from './ListFilters.tsx';
import { Empty, type EmptyProps, NoMatch } from './list-states.tsx';
import { PageHeader } from './PageHeader.tsx';

interface ListPageProps<S extends object, T>
  extends Omit<DataTableProps<T>, 'label' | 'empty'>,
    Pick<ListFiltersProps<S>, 'read'> {
  readonly title: string;
  readonly hint: ReactNode;
  /** The state of the address, as `useUrlState` returns it. */
  readonly url: Omit<ListFiltersProps<S>, 'rows' | 'read' | 'tools'> & {
    readonly isNarrowed: boolean;
  };
  readonly filters: ListFiltersProps<NoInfer<S>>['rows'];
  /** Left of the column settings. */
  readonly tools?: ReactNode;
  /** The primary action, also offered while the list is empty. */
  readonly add?: { readonly label: string; readonly onClick: () => void };
  /** Left of the primary action. */
  readonly moreActions?: ReactNode;
  /** Between heading and filters. */
  readonly above?: ReactNode;
  /** Without any records. */
  readonly none: EmptyProps;
  /** What opens over the list. */
  readonly children: ReactNode;
}

/** The page of a list: heading, filters and table. */
export function ListPage<S extends object, T>(props: ListPageProps<S, T>) {
  const { title, hint, url, filters, read, tools, add, moreActions, above, ...rest } = props;
  const { none, children, ...table } = rest;
  const isPhone = useIsPhone();
  return (
    <>
      <PageHeader
        title={title}
        hint={hint}
        actions={
          (add || moreActions) && (
            <>
              {moreActions}
              {add && (
                <Button leftSection={<IconPlus size={16} />} onClick={add.onClick}>
                  {add.label}
                </Button>
              )}
            </>
          )
        }
      />
      {above}
      <ListFilters
        {...url}
        {...(read && { read })}
        rows={filters}
        tools={
          <>
            {tools}
            {!isPhone && <ColumnSettings id={table.id} columns={table.columns} />}
          </>
        }
      />
      <DataTable
        {...table}
        label={title}
        empty={
          url.isNarrowed ? (
            <NoMatch onClear={() => url.reset()} />
          ) : (
            <Empty action={add && <Button onClick={add.onClick}>{add.label}</Button>} {...none} />
          )
        }
      />
      {children}
    </>
  );
}
