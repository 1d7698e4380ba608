import { Button } from '@mantine/core';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channels } from '../calls.ts';
import { isMissing } from '../list/useChannelEdits.ts';
import { LastTest } from '../tests/LastTest.tsx';
import { ChannelForm } from './ChannelForm.tsx';
import { useChannelEditor } from './useChannelEditor.ts';

const WIDTH = 860;

interface EditorDrawerProps {
  /** From the URL: '' is closed, `new` is an empty form. */
  readonly id: string;
  readonly onId: (id: string) => void;
}

/** The editor beside the list, which keeps its filters, page and scroll position. */
export function ChannelDrawer({ id, onId }: EditorDrawerProps) {
  if (id === '') return null;
  if (id === 'new') return <Drawn channel={undefined} onId={onId} />;
  return <Known key={id} id={Number(id)} onId={onId} />;
}

function Known({ id, onId }: { readonly id: number; readonly onId: (id: string) => void }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [version, setVersion] = useState(0);
  const { data, error } = useQuery({
    queryKey: channelKeys.one(id),
    queryFn: ({ signal }) => channels.get({ id, reveal: false }, { signal }),
    initialData: () => fromLists(cache, id),
    initialDataUpdatedAt: 0,
  });
  useEffect(() => {
    if (error === null || data !== undefined) return;
    if (isMissing(error)) toast.error(t('channel.missing'));
    else toast.failure(error);
    onId('');
  }, [error, data, onId, t]);
  if (data === undefined) return null;
  const refresh = (saved: Channel) => {
    cache.setQueryData(channelKeys.one(id), saved);
    setVersion(version + 1);
  };
  return <Drawn key={version} channel={data} onId={onId} onStored={refresh} />;
}

/** The row in the list cache has all fields, so the form opens without a request. */
function fromLists(cache: QueryClient, id: number): Channel | undefined {
  const pages = cache.getQueriesData<{ readonly items: readonly Channel[] }>({
    queryKey: [...channelKeys.all, 'list'],
  });
  return pages.flatMap(([, page]) => page?.items ?? []).find((row) => row.id === id);
}

interface DrawnProps {
  readonly channel: Channel | undefined;
  readonly onId: (id: string) => void;
  readonly onStored?: (saved: Channel) => void;
}

function Drawn({ channel, onId, onStored }: DrawnProps) {
  const { t } = useTranslation();
  const close = () => onId('');
  const { form, save, saveAndTest, onInvalid } = useChannelEditor({
    channel,
    onDone: close,
    onTestFailed: (saved) => (onStored ? onStored(saved) : onId(String(saved.id))),
  });
  return (
    <FormDrawer
      isOpen
      staysOpen
      width={WIDTH}
      onClose={close}
      title={
        channel
          ? t('channel.editor.edit', { name: channel.name, id: String(channel.id) })
          : t('channel.add')
      }
      form={form}
      onSubmit={save}
      onInvalid={onInvalid}
      extra={(submit) => (
        <Button variant="default" onClick={() => saveAndTest(submit)}>
          {t('channel.editor.saveAndTest')}
        </Button>
      )}
    >
      {channel && <LastTest channel={channel} />}
      <ChannelForm form={form} channel={channel} />
    </FormDrawer>
  );
}
