import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channels } from '../calls.ts';
import { knownChannels } from '../list/useChannelBulk.tsx';
import { isWorking } from '../tests/default-test.ts';
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

/** A stored channel; a new version of it fills the form again. */
export function useStoredChannel(id: number) {
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

interface EditorNeeds {
  /** undefined for a new one. */
  readonly channel: Channel | undefined;
  /** Saved and done: the editor can close. */
  readonly onDone: () => unknown;
  /** Saved, but the test failed: the editor shows the stored channel. */
  readonly onTestFailed: (saved: Channel) => unknown;
}

/** State of a channel's form, and the button that also tests, for the drawer and the page. */
export function useChannelEditor({ channel, onDone, onTestFailed }: EditorNeeds) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const isNew = channel === undefined;
  const types = useChannelTypes();
  const [before] = useState(() => (channel ? valuesOf(channel) : NEW_CHANNEL));
  const form = useForm<ChannelValues>({
    initialValues: before,
    validate: (values) => channelProblems(values, t, { isNew, facts: types.get(values.type) }),
  });
  const wantsTest = useRef(false);
  const [read] = useState(channel);
  const store = useStore(read, before);
  const title = channel
    ? t('channel.editor.edit', { name: channel.name, id: String(channel.id) })
    : t('channel.add');
  const save = async (values: ChannelValues) => {
    const isTested = wantsTest.current;
    wantsTest.current = false;
    await askAboutAliases(values, before, t);
    const { saved, text } = await store(values);
    if (saved) await cache.invalidateQueries({ queryKey: channelKeys.all });
    toast.success(text);
    const toTest = saved ?? channel;
    if (isTested && toTest !== undefined && !(await isWorking(toTest, t)))
      return onTestFailed(toTest);
    onDone();
  };
  const saveAndTest = (submit: () => void) => {
    wantsTest.current = true;
    submit();
  };
  const testButton = (submit: () => void) => (
    <SideButton label={t('channel.editor.saveAndTest')} onClick={() => saveAndTest(submit)} />
  );
  const onInvalid = () => {
    wantsTest.current = false;
  };
  return { form, title, save, testButton, onInvalid };
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
