import '@mantine/core/styles.css';
import './app/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { startTexts } from './app/i18n.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

// Without its texts the console still opens: i18next then falls back to the bundled Chinese.
await startTexts();
createRoot(root).render(<App />);
