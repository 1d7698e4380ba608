import { Button, Drawer, Group, Text } from '@mantine/core';
import { IconAdjustments, IconPlus, IconReportSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { IconButton } from '../../components/display/IconButton.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { useHasPopup } from '../../components/layout/popup-layer.ts';
import { useEnabledToken } from '../../hooks/useEnabledToken.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { Composer } from './chat/Composer.tsx';
import { Conversation } from './chat/Conversation.tsx';
import type { Chat } from './chat/useChat.ts';
import { HeadButton } from './HeadButton.tsx';
import { HistoryMenu } from './history/HistoryMenu.tsx';
import { type Conversations, useConversations } from './history/useConversations.ts';
import { Inspector } from './Inspector.tsx';
import classes from './Playground.module.css';
import { SettingsPanel } from './settings/SettingsPanel.tsx';
import { type SettingsState, usePlaygroundSettings } from './settings/usePlaygroundSettings.ts';

/** A chat with any of the user's models, charged to the user. */
export function PlaygroundPage() {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const settings = usePlaygroundSettings();
  const conversations = useConversations(settings);
  const [inspected, setInspected] = useState<'main' | 'other'>();
  const isPair = conversations.other !== undefined || undefined;
  useEnabledToken();
  return (
    <>
      <PageHeader
        title={t('nav.playground')}
        actions={
          <Group>
            {isPhone && <SettingsDrawer settings={settings} />}
            <HistoryMenu
              conversationId={conversations.main.conversationId}
              onOpen={conversations.actions.open}
            />
            <HeadButton
              icon={<IconReportSearch size={16} />}
              label={t('playground.inspector')}
              onClick={() => setInspected('main')}
            />
            <Button leftSection={<IconPlus size={16} />} onClick={conversations.actions.startOver}>
              {t('playground.new')}
            </Button>
          </Group>
        }
      />
      <div className={classes.page}>
        {!isPhone && (
          <aside className={classes.panel} aria-label={t('playground.settings')}>
            <SettingsPanel settings={settings} />
          </aside>
        )}
        <section
          className={classes.chat}
          aria-label={t('playground.conversation')}
          data-pair={isPair}
        >
          <Panes conversations={conversations} settings={settings} onInspect={setInspected} />
          <Composer
            isBusy={conversations.isBusy}
            onSend={conversations.actions.send}
            onStop={conversations.actions.stop}
          />
          <Dimmed ta="center" mt={4}>
            {t('playground.charged')}
          </Dimmed>
        </section>
      </div>
      <Inspector
        isOpen={inspected !== undefined}
        onClose={() => setInspected(undefined)}
        exchange={(inspected === 'other' ? conversations.other : conversations.main)?.exchange}
      />
    </>
  );
}

interface PanesProps {
  readonly conversations: Conversations;
  readonly settings: SettingsState;
  readonly onInspect: (which: 'main' | 'other') => void;
}

/** A single chat, or two side by side under their models' names. */
function Panes({ conversations: { main, other }, settings, onInspect }: PanesProps) {
  const { value } = settings;
  if (other === undefined) return <Conversation chat={main} model={value.model} />;
  const pane = (which: 'main' | 'other', chat: Chat, model: string) => (
    <div className={classes.pane}>
      <PaneHead model={model} onInspect={() => onInspect(which)} />
      <Conversation chat={chat} model={model} />
    </div>
  );
  return (
    <div className={classes.panes}>
      {pane('main', main, value.model)}
      {pane('other', other, settings.other)}
    </div>
  );
}

interface PaneHeadProps {
  readonly model: string;
  readonly onInspect: () => void;
}

function PaneHead({ model, onInspect }: PaneHeadProps) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" wrap="nowrap" px={4}>
      <Text component="h2" fw={600} ff="monospace" truncate>
        {model}
      </Text>
      <IconButton label={t('playground.inspect', { model })} onClick={onInspect}>
        <IconReportSearch size={16} />
      </IconButton>
    </Group>
  );
}

function SettingsDrawer({ settings }: { readonly settings: SettingsState }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <HeadButton
        icon={<IconAdjustments size={16} />}
        label={t('playground.settings')}
        onClick={() => setOpen(true)}
      />
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        closeOnEscape={!useHasPopup()}
        size="100%"
        title={t('playground.settings')}
      >
        <SettingsPanel settings={settings} />
      </Drawer>
    </>
  );
}
