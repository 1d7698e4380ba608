import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { startTexts } from './lib/text/texts.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

// If its texts fail to load, the console still opens: i18next falls back to the bundled Chinese.
// No `await` here: chunks that import this one would wait for it, and it for them.
void startTexts().then(() => createRoot(root).render(<App />));
