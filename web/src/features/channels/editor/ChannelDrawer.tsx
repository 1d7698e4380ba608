import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channels } from '../calls.ts';
import { knownChannels } from '../list/useChannelBulk.tsx';
import { isWorking } from '../tests/default-test.ts';
import { ChannelForm } from './ChannelForm.tsx';
import {
  type ChannelValues,
  changesOf,
  channelProblems,
  NEW_CHANNEL,
  newChannel,
  valuesOf,
} from './channel-form.ts';
import { unservedAliases } from './request-preview.ts';
import { saveResolved } from './save-channel.ts';
import { useChannelTypes } from './useChannelTypes.ts';

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
  const { query, version, refresh } = useStoredChannel(id);
  const { data, error } = query;
  useEffect(() => {
    if (error === null || data !== undefined) return;
    toast.failure(error);
    onId('');
  }, [error, data, onId]);
  if (data === undefined) return null;
  return <Drawn key={version} channel={data} onId={onId} onStored={refresh} />;
}

interface DrawnProps {
  readonly channel: Channel | undefined;
  readonly onId: (id: string) => void;
  readonly onStored?: (saved: Channel) => void;
}

/** A stored channel; a new version of it fills the form again. */
function useStoredChannel(id: number) {
  const cache = useQueryClient();
  const [version, setVersion] = useState(0);
  const query = useQuery({
    queryKey: channelKeys.one(id),
    queryFn: ({ signal }) => channels.get({ id, reveal: false }, { signal }),
    // The row of the list has all fields, so the form opens without a request.
    initialData: () => knownChannels(cache).get(id),
    initialDataUpdatedAt: 0,
  });
  const refresh = (saved: Channel) => {
    cache.setQueryData(channelKeys.one(id), saved);
    setVersion(version + 1);
  };
  return { query, version, refresh };
}

/** The form, with a button that also tests the channel after saving. */
function Drawn({ channel, onId, onStored }: DrawnProps) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const types = useChannelTypes();
  const [read] = useState(channel);
  const [before] = useState(() => (channel ? valuesOf(channel) : NEW_CHANNEL));
  const form = useForm<ChannelValues>({
    initialValues: before,
    validate: (values) =>
      channelProblems(values, t, { isNew: channel === undefined, facts: types.get(values.type) }),
  });
  const wantsTest = useRef(false);
  const store = useStore(read, before);
  const save = async (values: ChannelValues) => {
    const isTested = wantsTest.current;
    wantsTest.current = false;
    await askAboutAliases(values, before, t);
    const { saved, text } = await store(values);
    if (saved) await cache.invalidateQueries({ queryKey: channelKeys.all });
    toast.success(text);
    const toTest = saved ?? channel;
    if (!isTested || toTest === undefined || (await isWorking(toTest, t))) return onId('');
    // The form stays open with the stored channel.
    if (onStored) onStored(toTest);
    else onId(String(toTest.id));
  };
  const saveAndTest = (submit: () => void) => {
    wantsTest.current = true;
    submit();
  };
  return (
    <FormDrawer
      isOpen
      staysOpen
      width={WIDTH}
      onClose={() => onId('')}
      title={
        channel
          ? t('channel.editor.edit', { name: channel.name, id: String(channel.id) })
          : t('channel.add')
      }
      form={form}
      onSubmit={save}
      onInvalid={() => {
        wantsTest.current = false;
      }}
      extra={(submit) => (
        <Button variant="default" onClick={() => saveAndTest(submit)}>
          {t('channel.editor.saveAndTest')}
        </Button>
      )}
    >
      <ChannelForm form={form} channel={channel} />
    </FormDrawer>
  );
}

/** Creates the channel or saves its changes. `saved` is undefined if nothing changed. */
function useStore(channel: Channel | undefined, before: ChannelValues) {
  const { t } = useTranslation();
  return async (values: ChannelValues): Promise<{ saved?: Channel; text: string }> => {
    if (channel === undefined) {
      const saved = await channels.create(newChannel(values));
      const count = saved.ids?.length ?? 1;
      return {
        saved,
        text:
          count > 1
            ? t('channel.done.createdMany', { count })
            : t('channel.done.created', { name: saved.name }),
      };
    }
    const changes = changesOf(values, before);
    if (Object.keys(changes).length === 0) return { text: t('channel.done.nothing') };
    const saved = await saveResolved(channel, changes, t);
    return { saved, text: t('channel.done.saved', { name: saved.name }) };
  };
}

/** Skips names that were already unserved. @throws DOMException AbortError if the user cancels. */
async function askAboutAliases(values: ChannelValues, before: ChannelValues, t: TFunction) {
  const known = unservedAliases(before);
  const names = unservedAliases(values).filter((name) => !known.includes(name));
  if (names.length === 0) return;
  const isSure = await confirm({
    title: t('channel.aliases.title'),
    text: t('channel.aliases.text', { names }),
    verb: t('channel.aliases.verb'),
  });
  if (!isSure) throw new DOMException('', 'AbortError');
}
