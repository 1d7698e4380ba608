/** The console's table. Loaded with the first screen that uses one. */
import { Box, Card, VisuallyHidden } from '@mantine/core';
import { lazy, type ReactNode, type RefObject, Suspense, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '../../lib/display/screen.ts';
import { LoadFailed, Loading } from '../layout/list-states.tsx';
import { CardList } from './CardList.tsx';
import type { DataTableProps, PageState } from './columns.ts';
import classes from './DataTable.module.css';
import { Pager } from './Pager.tsx';
import type { TableViewProps } from './TableView.tsx';

// `lazy` loses the generic row type.
const TableView = lazy(async () => ({
  default: (await import('./TableView.tsx')).TableView,
})) as unknown as <T>(props: TableViewProps<T>) => ReactNode;

const SKELETON_ROWS = 8;

/** Rows of one response as a table, or as cards on a phone; includes loading states and paging. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { rows, error, onRetry = reload, paging, isFetching = false } = props;
  const isPhone = useIsPhone();
  const frame = useRef<HTMLDivElement>(null);
  const viewport = useRef<HTMLDivElement>(null);
  if (rows === undefined) {
    return (
      <Card padding="md">
        {error ? <LoadFailed error={error} onRetry={onRetry} /> : <Skeletons />}
      </Card>
    );
  }
  // Hide the pager for an empty list, unless the page is past the last one.
  const pages =
    paging && (paging.total > 0 || paging.page > 1)
      ? scrollingToTop(paging, { frame, viewport })
      : undefined;
  const body = rows.length === 0 ? <Box p="md">{props.empty}</Box> : null;
  return (
    <div
      ref={frame}
      className={classes.frame}
      data-fetching={isFetching || undefined}
      aria-busy={isFetching}
    >
      {error !== undefined && error !== null && <LoadFailed error={error} onRetry={onRetry} />}
      {isPhone ? (
        <>
          {body ? <Card>{body}</Card> : <CardList {...props} />}
          {pages && <Pager {...pages} />}
        </>
      ) : (
        <Card padding={0}>
          {body ?? (
            <Suspense fallback={<Skeletons />}>
              <TableView {...props} viewport={viewport} />
              {pages && <Pager {...pages} />}
            </Suspense>
          )}
          {body && pages && <Pager {...pages} />}
        </Card>
      )}
    </div>
  );
}

interface Frames {
  readonly frame: RefObject<HTMLElement | null>;
  readonly viewport: RefObject<HTMLElement | null>;
}

/** Scrolls to the top when the page changes. */
function scrollingToTop(paging: PageState, { frame, viewport }: Frames): PageState {
  const onPage = (page: number) => {
    paging.onPage(page);
    viewport.current?.scrollTo({ top: 0 });
    if ((frame.current?.getBoundingClientRect().top ?? 0) < 0) frame.current?.scrollIntoView();
  };
  return { ...paging, onPage };
}

function Skeletons() {
  const { t } = useTranslation();
  return (
    <Box p="md">
      <VisuallyHidden>{t('part.loading')}</VisuallyHidden>
      <Loading lines={SKELETON_ROWS} height={20} />
    </Box>
  );
}

function reload(): void {
  window.location.reload();
}
