// Ends with 0 once Shiplog is ready. It answers to its own host names only, hence the header.
const get = () =>
  require('node:http')
    .get(process.argv[1], { headers: { host: 'localhost' }, timeout: 5000 }, (answer) => {
      answer.resume();
      console.log(`${process.argv[1]} answers ${answer.statusCode}`);
      if (answer.statusCode !== 200) setTimeout(get, 2000);
    })
    .on('timeout', function () {
      this.destroy(new Error('no answer within 5 s'));
    })
    .on('error', (error) => {
      console.log(`${process.argv[1]}: ${error.message}`);
      setTimeout(get, 2000);
    });
get();
