import { Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../../components/data-table/columns.ts';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { StateTag } from '../../../components/display/StatusBadge.tsx';
import { Empty } from '../../../components/layout/list-states.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { optionKeys } from '../../../lib/api/query-keys.ts';
import { destinations } from '../calls.ts';
import { DestinationDialog } from './DestinationDialog.tsx';
import type { Destination } from './destination-form.ts';

/** Where the site's alerts go besides super administrators; each is saved by its own dialog. */
export function DestinationsPanel() {
  const { t } = useTranslation();
  const [edited, setEdited] = useState<Destination | 'new'>();
  const query = useQuery({
    queryKey: optionKeys.part('destinations'),
    queryFn: ({ signal }) => destinations.list({}, { signal }),
  });
  const test = useAction(({ name }: Destination) => destinations.test({ name }), {
    touches: [optionKeys],
    done: ({ sent_to }) => t('part.notice.sent', { by: t(`part.notice.kind.${sent_to}`) }),
  });
  const remove = useAction(({ name }: Destination) => destinations.remove({ name }), {
    touches: [optionKeys],
    done: () => t('setting.alert.deleted'),
    confirm: ({ name }) => ({
      title: t('setting.alert.askDelete', { name }),
      text: t('setting.alert.askDeleteHint'),
      verb: t('action.delete'),
      isDanger: true,
    }),
  });
  const actions = (row: Destination) =>
    rowActions(t, {
      test: { label: t('part.notice.test'), isPrimary: true, onClick: () => test.mutate(row) },
      edit: { isPrimary: true, onClick: () => setEdited(row) },
      delete: { onClick: () => remove.run(row) },
    });
  return (
    <Stack gap="md" id="option-AlertDestinations">
      <Dimmed size="sm">{t('setting.alert.hint')}</Dimmed>
      <DataTable
        id="destination"
        label={t('setting.section.alerts')}
        rows={query.data}
        rowId={({ name }) => name}
        columns={destinationColumns(t)}
        error={query.error}
        onRetry={() => query.refetch()}
        actions={actions}
        empty={<Empty title={t('setting.alert.none')} />}
      />
      <div>
        <SideButton
          size="xs"
          icon={IconPlus}
          label={t('setting.alert.add')}
          onClick={() => setEdited('new')}
        />
      </div>
      {edited !== undefined && (
        <DestinationDialog
          destination={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Stack>
  );
}

function destinationColumns(t: TFunction): readonly Column<Destination>[] {
  return [
    {
      key: 'name',
      title: t('common.name'),
      width: 180,
      isWide: true,
      card: 'title',
      render: ({ name }) => name,
    },
    {
      key: 'kind',
      title: t('common.type'),
      width: 120,
      render: ({ kind }) => t(`part.notice.kind.${kind}`),
    },
    {
      key: 'state',
      title: t('common.status'),
      width: 110,
      card: 'status',
      render: ({ failing_since }) => (
        <StateTag tone={failing_since === 0 ? 'green' : 'red'}>
          {t(`setting.alert.state.${failing_since === 0 ? 'reachable' : 'failing'}`)}
        </StateTag>
      ),
    },
    {
      key: 'failure',
      title: t('setting.alert.failure'),
      width: 260,
      priority: 1,
      render: ({ failing_since, failure }) =>
        failing_since === 0 ? (
          '-'
        ) : (
          <>
            <RelativeTime at={failing_since} />: {failure}
          </>
        ),
    },
  ];
}
